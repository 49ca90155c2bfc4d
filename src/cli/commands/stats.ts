import type { Command } from 'commander'
import type { Stats } from '../../client/index.ts'
import { action } from '../action.ts'
import { table } from '../output.ts'

/** stats. */
export function addStatsCommand(program: Command): void {
  program
    .command('stats')
    .description('show counts of the tenant: entries, contested claims, runs, jobs, quotas')
    .action(
      action(async ({ client, output }) => {
        const stats = await client.stats()
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
      ['contested claims', String(contestedClaims)],
      ['runs', byStatus(runs)],
      ['jobs', byStatus(jobs)],
      ['memory dimensions missing', missing.join(', ') || 'none'],
      ...Object.entries(stats.quotas).map(([name, { used, limit }]) => [`quota ${name}`, `${used} of ${limit}`]),
    ],
  )
}

function byStatus(counts: Stats['jobs']): string {
  const parts = Object.entries(counts).map(([status, count]) => `${count} ${status}`)
  return parts.join(', ') || 'none'
}
