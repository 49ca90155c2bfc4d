import { type Command, Option } from 'commander'
import type { Heartbeat, HeartbeatDraft } from '../../client/index.ts'
import { action } from '../action.ts'
import { printable, table, warn } from '../output.ts'

type AddOptions = { ref?: string; tag?: string; claim?: string; interval: string; workflow?: string }
type EditOptions = { interval?: string; workflow?: string | false }

/** heartbeats list, add, edit, pause, resume, remove. */
export function addHeartbeatCommands(program: Command): void {
  const heartbeats = program
    .command('heartbeats')
    .description('what is observed at an interval; a change may start a run')
  heartbeats
    .command('list')
    .description('list heartbeats, with what they observed last and their next tick')
    .action(
      action(async ({ client, output }) => {
        const answer = await client.heartbeats.list()
        const rows = answer.heartbeats.map((item) => [
          item.id,
          observedBy(item),
          `${item.intervalSec} s`,
          stateOf(item),
          item.lastTickAt ?? 'none',
          item.isPaused ? 'paused' : (item.nextTickAt ?? 'none'),
        ])
        output.show(answer, () => table(['id', 'observes', 'interval', 'state', 'last', 'next'], rows))
      }),
    )
  heartbeats
    .command('add')
    .description('register a heartbeat; its first tick is at once')
    .argument('<predicate>', 'what it observes: count, position, claim or backlog')
    .option('--ref <ref>', 'the ref of count and position')
    .option('--tag <tag>', 'only entries with this tag')
    .option('--claim <id>', 'the claim of claim')
    .addOption(new Option('--interval <seconds>', 'seconds between ticks, at least 60').default('60'))
    .option('--workflow <id>', 'the workflow to run after a change')
    .action(
      action<AddOptions>(async ({ client, output }, [predicate = ''], { ref, tag, claim, interval, workflow }) => {
        const made = await client.heartbeats.create({
          predicate: predicate as HeartbeatDraft['predicate'],
          memoryRef: ref,
          tag,
          claimId: claim,
          intervalSec: Number(interval),
          workflowId: workflow,
        })
        warnIfRaised(interval, made)
        output.show(made, () => `${made.id} observes ${observedBy(made)} every ${made.intervalSec} s`)
      }),
    )
  heartbeats
    .command('edit <id>')
    .description('change the interval or the workflow; it acts for your key from then on')
    .option('--interval <seconds>', 'seconds between ticks, at least 60')
    .option('--workflow <id>', 'the workflow to run after a change')
    .option('--no-workflow', 'run nothing after a change')
    .action(
      action<EditOptions>(async ({ client, output }, [id = ''], { interval, workflow }) => {
        const changed = await client.heartbeats.change(id, {
          ...(interval === undefined ? {} : { intervalSec: Number(interval) }),
          ...(workflow === undefined ? {} : { workflowId: workflow === false ? null : workflow }),
        })
        if (interval !== undefined) warnIfRaised(interval, changed)
        output.show(changed, () => `${changed.id} observes ${observedBy(changed)} every ${changed.intervalSec} s`)
      }),
    )
  heartbeats
    .command('pause <id>')
    .description('pause a heartbeat until it is resumed')
    .action(
      action(async ({ client, output }, [id = '']) => {
        output.show(await client.heartbeats.pause(id), () => 'paused')
      }),
    )
  heartbeats
    .command('resume <id>')
    .description('resume a heartbeat, with a tick at once')
    .action(
      action(async ({ client, output }, [id = '']) => {
        output.show(await client.heartbeats.resume(id), () => 'resumed')
      }),
    )
  heartbeats
    .command('remove <id>')
    .description('remove a heartbeat')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const { deleted } = await client.heartbeats.remove(id)
        output.show({ deleted }, () => (deleted ? 'removed' : 'there was no such heartbeat'))
      }),
    )
}

/** The protocol raises an interval that is too short; a person must not take it for the one that was asked for. */
function warnIfRaised(asked: string, { intervalSec }: Heartbeat): void {
  if (Number(asked) < intervalSec)
    warn(`the interval is ${intervalSec} s: ${asked} s is below the limit heartbeatIntervalSecMin`)
}

function observedBy({ predicate, memoryRef, tag, claimId }: Heartbeat): string {
  if (claimId !== undefined) return `${predicate} ${printable(claimId)}`
  if (memoryRef === undefined) return predicate
  return `${predicate} of ${printable(memoryRef)}${tag === undefined ? '' : ` with tag ${printable(tag)}`}`
}

function stateOf({ state }: Heartbeat): string {
  const members = Object.entries(state).map(([name, value]) => `${name} ${value}`)
  return members.length === 0 ? 'none yet' : members.join(', ')
}
