/**
 * Makes something that expires soon and returns it as long as it has not. A busy machine can need longer for that than the
 * thing lives: `make` then returns null, and is called again with twice the time.
 */
export async function makeBrief<T>(make: (expiresAt: Date) => Promise<T | null>, lifeMs = 500): Promise<T> {
  const made = await make(new Date(Date.now() + lifeMs))
  if (made !== null) return made
  if (lifeMs > 60_000) throw new Error(`It is refused with a life of ${lifeMs} ms too.`)
  return makeBrief(make, lifeMs * 2)
}
