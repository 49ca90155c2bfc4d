/** Limits of writers and of changes of their authority: part of the table of limits. */
export const writerLimits = {
  /** Claims that the answer to a change of authority examines: what a reresolve would change is counted among them. */
  reresolveCountClaimsMax: 2_000,
  /** Assertions of these claims. The count ends after the claims that reach it. */
  reresolveCountAssertionsMax: 20_000,
  writersPerTenantMax: 1_000,
  writerChangesMax: 100,
} as const
