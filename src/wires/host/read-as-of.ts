/** The `asOf` of a request: a position if it is a number, otherwise an instant. */
export function readAsOf(asOf: string | undefined): number | string | undefined {
  return asOf !== undefined && /^\d{1,15}$/.test(asOf) ? Number(asOf) : asOf
}
