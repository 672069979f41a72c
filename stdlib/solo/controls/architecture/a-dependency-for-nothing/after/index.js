/** Returns a greeting for a name. */
export function greet(name) {
  return `Hello, ${name}!`;
}

/** Returns a farewell for a name. */
export function part(name) {
  return `Goodbye, ${name}!`;
}
