import type { Command } from 'commander'
import type { RunEventDoc } from '../../core/run/event-doc.ts'
import type { Caller } from '../caller.ts'
import { printable, table } from '../output.ts'
import { action } from '../run.ts'
import { type Run, runPath, waitForRun, waitOption } from '../wait-for-run.ts'

const host = '/v1/host/colophon/runs'

type RunPage = {
  runs: { runId: string; workflowId: string; workflowVersion: number; status: string; createdAt: string }[]
  cursor?: string
}
type Reads = {
  snapshot: { position: number; at: string }
  reads: { sequence: number; nodeId: string; op: string; memoryRef: string; entryIds: string[] }[]
}
type Diff = { divergedAtSeq: number | null; eventDiffs: { seq: number; op: string; aEvent?: Told; bEvent?: Told }[] }
type Told = Pick<RunEventDoc, 'type' | 'nodeId'>

type ListOptions = Record<'limit' | 'status' | 'workflow' | 'cursor', string | undefined>

/** runs list, show, events, reads, diff. */
export function addInspectCommands(runs: Command): void {
  runs
    .command('list')
    .description('runs, newest first')
    .option('-n, --limit <count>', 'how many', '20')
    .option('--status <status>', 'only in this status')
    .option('--workflow <id>', 'only of this workflow')
    .option('--cursor <cursor>', 'the next page')
    .action(
      action<ListOptions>(async ({ caller, output }, _args, { workflow: workflowId, ...options }) => {
        const given = Object.entries({ ...options, workflowId }).filter((pair): pair is [string, string] => !!pair[1])
        const page = (await caller.call('GET', `${host}?${new URLSearchParams(given)}`)) as RunPage
        output.show(page, () => {
          const rows = page.runs.map((run) => [
            run.runId,
            `${run.workflowId}@${run.workflowVersion}`,
            run.status,
            run.createdAt,
          ])
          const more = page.cursor ? [`more: --cursor ${page.cursor}`] : []
          return [table(['run', 'workflow', 'status', 'created'], rows), ...more].join('\n')
        })
      }),
    )
  runs
    .command('show <id>')
    .description('where a run stands, with its variables and nodes')
    .option(...waitOption)
    .action(
      action<{ wait?: true }>(async ({ caller, output }, [id = ''], { wait }) => {
        const run = wait ? await waitForRun(caller, id) : ((await caller.call('GET', runPath(id))) as Run)
        output.show(run, () => describeRun(run))
      }),
    )
  runs
    .command('events <id>')
    .description('what happened in a run, one line for each event')
    .action(
      action(async ({ caller, output }, [id = '']) => {
        const events = await allEvents(caller, id)
        output.show({ events }, () => events.map(toLine).join('\n'))
      }),
    )
  runs
    .command('reads <id>')
    .description('what a run saw: its snapshot, and the entries that each read gave it')
    .action(
      action(async ({ caller, output }, [id = '']) => {
        const answer = (await caller.call('GET', `${host}/${encodeURIComponent(id)}/reads`)) as Reads
        const { snapshot, reads } = answer
        const rows = reads.flatMap(({ sequence, nodeId, op, memoryRef, entryIds }) =>
          (entryIds.length === 0 ? ['nothing'] : entryIds).map((entry) => [
            String(sequence),
            nodeId,
            op,
            memoryRef,
            entry,
          ]),
        )
        output.show(answer, () =>
          [
            `snapshot: position ${snapshot.position}, ${snapshot.at}`,
            table(['sequence', 'node', 'read', 'ref', 'entry'], rows),
          ].join('\n'),
        )
      }),
    )
  runs
    .command('diff <a> <b>')
    .description('where two runs part')
    .action(
      action(async ({ caller, output }, [a, b = '']) => {
        const answer = (await caller.call('GET', `${runPath(a)}:diff?against=${encodeURIComponent(b)}`)) as Diff
        const { divergedAtSeq, eventDiffs } = answer
        const rows = eventDiffs.map(({ seq, op, aEvent, bEvent }) => [String(seq), op, told(aEvent), told(bEvent)])
        output.show(answer, () =>
          divergedAtSeq === null ? 'no difference' : table(['sequence', 'change', 'first run', 'second run'], rows),
        )
      }),
    )
}

function told(event: Told | undefined): string {
  return event === undefined ? '' : [event.type, event.nodeId ?? ''].join(' ').trim()
}

function describeRun(run: Run): string {
  const { runId, workflowId, status, startedAt, completedAt, error, interrupt, variables, nodeStates } = run
  const facts = Object.entries({ workflow: workflowId, status, started: startedAt, ended: completedAt })
  const rows = [
    ...facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ...(error === undefined ? [] : [['error', `${error.code}: ${error.message}`]]),
    ...(interrupt === undefined ? [] : [['waits at', `${interrupt.nodeId} (${interrupt.kind})`]]),
    ...(interrupt === undefined ? [] : [['asks', JSON.stringify(interrupt.data)]]),
    ...Object.entries(variables).map(([name, value]) => [`variable ${name}`, JSON.stringify(value)]),
  ]
  const nodes = Object.entries(nodeStates).map(([id, { status, startedAt, completedAt = '', childRunId = '' }]) => [
    id,
    status,
    startedAt,
    completedAt,
    childRunId,
  ])
  return [table(['run', runId], rows), '', table(['node', 'status', 'started', 'ended', 'run inside'], nodes)].join(
    '\n',
  )
}

/** A page at a time: the answer to one call is bounded. */
async function allEvents(caller: Caller, id: string): Promise<RunEventDoc[]> {
  const events: RunEventDoc[] = []
  for (;;) {
    const query = new URLSearchParams({ lastSequence: String(events.length - 1), timeout: '0' })
    const page = (await caller.call('GET', `${runPath(id)}/events/poll?${query}`)) as { events: RunEventDoc[] }
    if (page.events.length === 0) return events
    events.push(...page.events)
  }
}

function toLine({ sequence, timestamp, type, nodeId = '', payload }: RunEventDoc): string {
  const { nodeId: _shown, ...facts } = payload
  const rest = Object.keys(facts).length === 0 ? '' : JSON.stringify(facts)
  return printable(`${sequence} ${timestamp} ${type} ${nodeId} ${rest}`).trim()
}
