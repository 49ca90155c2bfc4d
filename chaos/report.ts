import type { Check } from './checks/check.ts'
import type { DatabaseName } from './plan.ts'
import type { Tally } from './tally.ts'

/** The result of a load, as text and as JSON. The seed repeats it. */
export type Report = {
  readonly ok: boolean
  readonly seed: string
  readonly database: DatabaseName
  readonly loadMs: number
  readonly settleMs: number
  readonly checkMs: number
  readonly operations: Numbers
  /** Operations of the plan without a target yet. */
  readonly skipped: Numbers
  readonly faults: Numbers
  readonly retries: number
  readonly codes: Numbers
  /** Connections that ended without a response. */
  readonly cuts: Numbers
  readonly checks: readonly Check[]
}

type Numbers = Readonly<Record<string, number>>

export type Times = Pick<Report, 'loadMs' | 'settleMs' | 'checkMs'>

export function reportOf(
  seed: string,
  database: DatabaseName,
  tally: Tally,
  checks: readonly Check[],
  times: Times,
): Report {
  const numbers = (map: ReadonlyMap<string, number>) => Object.fromEntries([...map].sort())
  return {
    ok: checks.every(({ problems }) => problems.length === 0),
    seed,
    database,
    ...times,
    operations: numbers(tally.operations),
    skipped: numbers(tally.skipped),
    faults: numbers(tally.faults),
    retries: tally.retries,
    codes: numbers(tally.codes),
    cuts: numbers(tally.cuts),
    checks,
  }
}

const problemsShown = 5

export function reportText(report: Report): string {
  const { seed, database, ok, checks, loadMs, settleMs, checkMs } = report
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
  const sum = (numbers: Numbers) => Object.values(numbers).reduce((total, number) => total + number, 0)
  const line = (name: string, numbers: Numbers) => {
    const parts = Object.entries(numbers).map(([what, number]) => `${what} ${number}`)
    return `${name.padEnd(11)} ${String(sum(numbers)).padStart(6)}  ${parts.join(', ')}`
  }
  return [
    `chaos on ${database}, seed ${seed}: load ${seconds(loadMs)}, settling ${seconds(settleMs)}, checks ${seconds(checkMs)}`,
    '',
    line('operations', report.operations),
    line('skipped', report.skipped),
    line('faults', report.faults),
    `${'retries'.padEnd(11)} ${String(report.retries).padStart(6)}`,
    line('codes', report.codes),
    line('cuts', report.cuts),
    '',
    ...checks.flatMap(checkLines),
    '',
    ok ? 'passed' : `FAILED. To repeat it: npm run chaos -- --seed ${seed} --database ${database}`,
  ].join('\n')
}

function checkLines({ name, checked, problems }: Check): string[] {
  const shown = problems.slice(0, problemsShown).map((problem) => `        ${problem}`)
  const more = problems.length > problemsShown ? [`        and ${problems.length - problemsShown} more`] : []
  return [`${problems.length === 0 ? 'ok    ' : 'FAILED'}  ${name} (${checked})`, ...shown, ...more]
}
