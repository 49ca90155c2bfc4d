import { isEnded, type RunStatus } from '../core/run/run.ts'
import type { Caller } from './caller.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { harmless } from './output.ts'

/** A run as the host shows it, as far as commands look at it. */
export type Run = {
  runId: string
  workflowId: string
  status: RunStatus
  startedAt?: string
  completedAt?: string
  variables: Record<string, unknown>
  nodeStates: Record<string, { status: string; startedAt: string; completedAt?: string; childRunId?: string }>
  error?: { code: string; message: string }
  interrupt?: { nodeId: string; kind: string; data: unknown }
}

export const runPath = (id = '') => `/v1/runs/${encodeURIComponent(id)}`

export const waitOption = ['--wait', 'wait until the run ends or waits for somebody'] as const

const pollSeconds = '2'

/** Rests on the host: it answers when something happens. In a process of its own, the worker in it goes on meanwhile. */
export async function waitForRun(caller: Caller, id: string): Promise<Run> {
  for (let last = -1; ; ) {
    const query = new URLSearchParams({ lastSequence: String(last), timeout: pollSeconds })
    const answer = await caller.call('GET', `${runPath(id)}/events/poll?${query}`)
    const { lastEventSeq, runStatus } = answer as { lastEventSeq: number; runStatus: RunStatus }
    if (isEnded(runStatus) || waitsForSomebody(runStatus)) return (await caller.call('GET', runPath(id))) as Run
    last = lastEventSeq
  }
}

function waitsForSomebody(status: RunStatus): boolean {
  return status === 'paused' || status.startsWith('waiting-')
}

/** What a person has to know about a run that did not complete. On the other stream, so that scripts read the id only. */
export function tellWhatIsLeft(run: Run, isEmbedded: boolean): void {
  const { runId, status, error, interrupt } = run
  if (status === 'completed') return
  if (isEnded(status)) {
    const why = error === undefined ? '' : `: ${error.code}: ${error.message}`
    throw new CliError(`${runId} is ${status}${why}`, exitCodes.refused)
  }
  if (status === 'paused') note(`${runId} is paused. Go on with: runs resume ${runId}`)
  else if (waitsForSomebody(status)) note(`${runId} is ${status}. ${howToAnswer(runId, interrupt?.nodeId)}`)
  else if (isEmbedded)
    note(`${runId} is ${status}. It goes on when a server runs on this data, or with: runs show ${runId} --wait`)
}

function howToAnswer(runId: string, nodeId: string | undefined): string {
  return nodeId === undefined ? `See: runs show ${runId}` : `Answer with: runs answer ${runId} ${nodeId} <json>`
}

function note(text: string): void {
  process.stderr.write(`colophon: ${harmless(text)}\n`)
}
