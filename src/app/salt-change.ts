import type { Change } from './commit.ts'

/** Gives a fresh salt to every row whose digest needs one: rows that begin, and rows whose text changes. */
export function withSalts(change: Change, newSalt: () => string): Change {
  const { claims, runs, sourceRewrites, imported } = change
  if (!claims && !runs && !sourceRewrites && !imported) return change
  return {
    ...change,
    ...(claims && {
      claims: claims.map((step) => ({
        ...step,
        assertions: step.assertions.map((assertion) => ({ ...assertion, salt: newSalt() })),
        ...(step.restated && { restated: step.restated.map((item) => ({ ...item, salt: newSalt() })) }),
      })),
    }),
    ...(runs && {
      runs: runs.map((step) => (step.expects === 0 || step.recorded ? { ...step, salt: newSalt() } : step)),
    }),
    ...(sourceRewrites && { sourceRewrites: sourceRewrites.map((event) => ({ ...event, salt: newSalt() })) }),
    ...(imported && {
      imported: {
        ...imported,
        claims: imported.claims.map(({ claim, assertions }) => ({
          claim,
          assertions: assertions.map((assertion) => ({ ...assertion, salt: newSalt() })),
        })),
      },
    }),
  }
}
