import type { Command } from 'commander'
import { table } from '../output.ts'
import { action } from '../run.ts'

type Counts = Readonly<Record<string, number>>

type Stats = {
  readonly position: number
  readonly entries: number
  readonly entriesAreMore: boolean
  readonly refs: number
  readonly expiringSoon: number
  readonly sourceEvents: number
  readonly contestedClaims: number
  readonly runs: Counts
  readonly jobs: Counts
  readonly dimensions: Readonly<Record<string, boolean>>
}

export function addStatsCommand(program: Command): void {
  program
    .command('stats')
    .description('how much there is, and what waits for somebody')
    .action(
      action(async ({ caller, output }) => {
        const stats = (await caller.call('GET', '/v1/host/colophon/stats')) as Stats
        output.show(stats, () => describe(stats))
      }),
    )
}

function describe(stats: Stats): string {
  const { entries, entriesAreMore, refs, expiringSoon, sourceEvents, contestedClaims, runs, jobs, dimensions } = stats
  const missing = Object.entries(dimensions).flatMap(([name, isProvided]) => (isProvided ? [] : [name]))
  return table(
    ['position', String(stats.position)],
    [
      ['entries', `${entries}${entriesAreMore ? ' or more' : ''} in ${refs} refs`],
      ['expiring in 7 days', String(expiringSoon)],
      ['source events', String(sourceEvents)],
      ['conflicts to decide', String(contestedClaims)],
      ['runs', byStatus(runs)],
      ['jobs', byStatus(jobs)],
      ['memory dimensions missing', missing.join(', ') || 'none'],
    ],
  )
}

function byStatus(counts: Counts): string {
  const parts = Object.entries(counts).map(([status, count]) => `${count} ${status}`)
  return parts.join(', ') || 'none'
}
