/** What was observed while the load ran: numbers for the report, and problems. */
export type Tally = {
  readonly operations: Map<string, number>
  readonly skipped: Map<string, number>
  readonly codes: Map<string, number>
  readonly cuts: Map<string, number>
  readonly faults: Map<string, number>
  retries: number
  /** Operations that succeeded. */
  succeeded: number
  /** By the check that they fail. */
  readonly problems: Map<string, string[]>
  /** What the run waits for at this moment, the oldest first. */
  readonly underWay: Set<Step>
}

export type Step = {
  readonly what: string
  readonly since: number
  /** How the last attempt ended. */
  last?: string
}

export function createTally(): Tally {
  const maps = { operations: new Map(), skipped: new Map(), codes: new Map(), cuts: new Map(), faults: new Map() }
  return { ...maps, retries: 0, succeeded: 0, problems: new Map(), underWay: new Set() }
}

export function count(map: Map<string, number>, name: string): void {
  map.set(name, (map.get(name) ?? 0) + 1)
}

export function note(tally: Tally, check: string, problem: string): void {
  const known = tally.problems.get(check) ?? []
  known.push(problem)
  tally.problems.set(check, known)
}
