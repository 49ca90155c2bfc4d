import type { Step, Tally } from './tally.ts'

/** Work of a run by name: a phase that does not end in time says what it waited for. */
export function begin({ underWay }: Tally, what: string): Step & Disposable {
  const step = { what, since: Date.now(), [Symbol.dispose]: () => void underWay.delete(step) }
  underWay.add(step)
  return step
}

const shown = 8

/** Waits for a phase of a run, with a limit. */
export async function endOf<T>(tally: Tally, phase: string, secondsMax: number, work: Promise<T>): Promise<T> {
  let overdue: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    overdue = setTimeout(() => {
      const waitedFor = [...tally.underWay].slice(0, shown).map(describe).join('; ') || 'nothing that has a name'
      reject(new Error(`${phase} did not end within ${secondsMax} s. It waited for: ${waitedFor}`))
    }, secondsMax * 1_000)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(overdue)
  }
}

function describe({ what, since, last }: Step): string {
  const seconds = Math.round((Date.now() - since) / 1_000)
  return `${what} (for ${seconds} s${last === undefined ? '' : `, last: ${last}`})`
}
