import type { Command } from 'commander'
import { parseJson } from '../json-input.ts'
import { table } from '../output.ts'
import { action } from '../run.ts'
import { failUnlessCompleted, waitForJob, waitOption } from '../wait-for-job.ts'

const path = '/v1/host/colophon/schedules'
const pathOf = (id = '') => `${path}/${encodeURIComponent(id)}`

type Schedule = {
  id: string
  cron: string
  kind: string
  status: string
  isHosts: boolean
  nextDueAt?: string
  lastDueAt?: string
}

/** schedules: work that comes back by itself. */
export function addScheduleCommands(program: Command): void {
  const schedules = program.command('schedules').description('work that comes back by itself')
  schedules
    .command('list')
    .description('what runs when, and when it last did')
    .action(
      action(async ({ caller, output }) => {
        const answer = (await caller.call('GET', path)) as { schedules: Schedule[] }
        const rows = answer.schedules.map((schedule) => [
          schedule.id,
          schedule.cron,
          schedule.kind,
          schedule.nextDueAt ?? schedule.status,
          schedule.lastDueAt ?? 'never',
        ])
        output.show(answer, () => table(['id', 'cron (UTC)', 'kind', 'next', 'last'], rows))
      }),
    )
  schedules
    .command('add <id>')
    .description('make a schedule, or change it')
    .requiredOption('--cron <expression>', 'five or six fields, UTC')
    .requiredOption('--kind <kind>', 'what to do, such as colophon.re-redact')
    .option('--payload <json>', 'what the work is told')
    .action(
      action<{ cron: string; kind: string; payload?: string }>(async ({ caller, output }, [id], options) => {
        const { cron, kind, payload } = options
        const body = { id, cron, kind, ...(payload === undefined ? {} : { payload: parseJson(payload, '--payload') }) }
        const made = (await caller.call('POST', path, body)) as Schedule
        output.show(made, () => `${made.id} runs next at ${made.nextDueAt}`)
      }),
    )
  for (const verb of ['pause', 'resume']) {
    schedules.command(`${verb} <id>`).action(
      action(async ({ caller, output }, [id]) => {
        const changed = (await caller.call('POST', `${pathOf(id)}:${verb}`)) as Schedule
        const next = changed.nextDueAt === undefined ? '' : `, next at ${changed.nextDueAt}`
        output.show(changed, () => `${changed.id} is ${changed.status}${next}`)
      }),
    )
  }
  schedules
    .command('run <id>')
    .description('do its work now, beside its times')
    .option(...waitOption)
    .action(
      action<{ wait?: true }>(async ({ caller, output }, [id], { wait }) => {
        const started = (await caller.call('POST', `${pathOf(id)}:run`)) as { jobId: string }
        if (!wait) return output.show(started, () => started.jobId)
        const job = await waitForJob(caller, started.jobId)
        output.show(job, () => `${job.id} is ${job.status}: ${JSON.stringify(job.result)}`)
        failUnlessCompleted(job.id, job.status, job.error)
      }),
    )
  schedules.command('remove <id>').action(
    action(async ({ caller, output }, [id]) => {
      const answer = (await caller.call('DELETE', pathOf(id))) as { deleted: boolean }
      output.show(answer, () => (answer.deleted ? 'removed' : 'there was none'))
    }),
  )
}
