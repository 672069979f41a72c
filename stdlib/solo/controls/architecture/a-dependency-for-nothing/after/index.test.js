import test from 'node:test';
import assert from 'node:assert/strict';
import { greet, part } from './index.js';

test('a greeting has the name in it', () => {
  assert.equal(greet('Ada'), 'Hello, Ada!');
});

test('a farewell has the name in it', () => {
  assert.equal(part('Ada'), 'Goodbye, Ada!');
});
