export function total(counts) {
  return Object.values(counts).reduce((a, b) => a + b, 0);
}
