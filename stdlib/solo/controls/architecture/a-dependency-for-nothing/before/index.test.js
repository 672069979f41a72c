import test from 'node:test';
import assert from 'node:assert/strict';
import { greet } from './index.js';

test('a greeting has the name in it', () => {
  assert.equal(greet('Ada'), 'Hello, Ada!');
});
