import type { Command } from 'commander'
import type { RunEvent, RunListQuery, RunSnapshot } from '../../client/index.ts'
import { action } from '../action.ts'
import { collect } from '../collect.ts'
import { pageTable, printable, table } from '../output.ts'
import { waitForRun, waitOption } from '../run-outcome.ts'

type ListOptions = Omit<RunListQuery, 'workflowId'> & { workflow?: string }

/** runs list, show, events, reads, diff. */
export function addRunInspectCommands(runs: Command): void {
  runs
    .command('list')
    .description('list runs, newest first')
    .option('-n, --limit <count>', 'items per page', '20')
    .option('--status <status>', 'only runs with this status')
    .option('--workflow <id>', 'only runs of this workflow')
    .option('--cursor <cursor>', 'cursor of the next page')
    .action(
      action<ListOptions>(async ({ client, output }, _args, { limit, status, workflow, cursor }) => {
        const page = await client.runs.list({
          limit,
          // An option with an empty value, as scripts write it, counts as absent.
          status: status || undefined,
          workflowId: workflow || undefined,
          cursor: cursor || undefined,
        })
        output.show(page, () => {
          const rows = page.runs.map((run) => [
            run.runId,
            `${run.workflowId}@${run.workflowVersion}`,
            run.status,
            run.createdAt,
          ])
          return pageTable(['run', 'workflow', 'status', 'created'], rows, page.cursor)
        })
      }),
    )
  runs
    .command('show <id>')
    .description('show the state of a run, with its variables and nodes')
    .option(...waitOption)
    .action(
      action<{ wait?: true }>(async ({ client, output }, [id = ''], { wait }) => {
        const run = wait ? await waitForRun(client, id) : await client.runs.get(id)
        output.show(run, () => describeRun(run))
      }),
    )
  runs
    .command('events <id>')
    .description('print the log of a run, one line per event')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const events = await collect(client.runs.eachEvent(id))
        output.show({ events }, () => events.map(toLine).join('\n'))
      }),
    )
  runs
    .command('reads <id>')
    .description('list what a run read: its snapshot, and the entries of each read')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const answer = await client.runs.reads(id)
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
    .description('compare the logs of two runs')
    .action(
      action(async ({ client, output }, [a = '', b = '']) => {
        const answer = await client.runs.diff(a, b)
        const { divergedAtSeq, eventDiffs } = answer
        const rows = eventDiffs.map(({ seq, op, aEvent, bEvent }) => [String(seq), op, nameOf(aEvent), nameOf(bEvent)])
        output.show(answer, () =>
          divergedAtSeq === null ? 'no difference' : table(['sequence', 'change', 'first run', 'second run'], rows),
        )
      }),
    )
}

function nameOf(event: RunEvent | undefined): string {
  return event === undefined ? '' : [event.type, event.nodeId ?? ''].join(' ').trim()
}

function describeRun(run: RunSnapshot): string {
  const { runId, workflowId, status, startedAt, completedAt, error, interrupt, orchestration, channels = {} } = run
  // Version 2 has no nodes in the state of a run, and may omit its variables.
  const { variables = {}, nodeStates }: Partial<RunSnapshot> = run
  const messages = Object.entries(channels).flatMap(([channel, said]) =>
    said.map(({ from, content }) => [`${channel}: ${String(from)}`, JSON.stringify(content)]),
  )
  const facts = Object.entries({ workflow: workflowId, status, started: startedAt, ended: completedAt })
  const rows = [
    ...facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ...(error === undefined ? [] : [['error', `${error.code}: ${error.message}`]]),
    ...(interrupt === undefined ? [] : [['waiting at', `${interrupt.nodeId} (${interrupt.kind})`]]),
    ...(interrupt === undefined ? [] : [['interrupt', JSON.stringify(interrupt.data)]]),
    ...(orchestration === undefined ? [] : [['decisions', String(orchestration.decisionsTaken)]]),
    ...(orchestration?.children ?? []).map((child) => [`child of ${child.nodeId}`, child.runId]),
    ...messages,
    ...Object.entries(variables).map(([name, value]) => [`variable ${name}`, JSON.stringify(value)]),
  ]
  const about = table(['run', runId], rows)
  if (nodeStates === undefined) return about
  const nodes = Object.entries(nodeStates).map(([id, { status, startedAt, completedAt = '', childRunId = '' }]) => [
    id,
    status,
    startedAt,
    completedAt,
    childRunId,
  ])
  return [about, '', table(['node', 'status', 'started', 'ended', 'child run'], nodes)].join('\n')
}

function toLine({ sequence, timestamp, type, nodeId = '', payload }: RunEvent): string {
  const { nodeId: _shown, ...facts } = payload
  const rest = Object.keys(facts).length === 0 ? '' : JSON.stringify(facts)
  return printable(`${sequence} ${timestamp} ${type} ${nodeId} ${rest}`).trim()
}
