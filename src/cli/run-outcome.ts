import type { Client, RunSnapshot } from '../client/index.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { harmless } from './output.ts'

export const waitOption = ['--wait', 'wait until the run ends or waits for somebody'] as const

export function waitForRun(client: Client, runId: string): Promise<RunSnapshot> {
  return client.runs.wait(runId, { until: 'idle' })
}

/** What a person has to know about a run that did not complete. On standard error, so that scripts read the id only. */
export function noteUnfinishedRun(run: Pick<RunSnapshot, 'runId' | 'status'>, isEmbedded: boolean): void {
  const { runId, status } = run
  const { error, interrupt }: Partial<RunSnapshot> = run
  if (status === 'completed') return
  if (status === 'failed' || status === 'cancelled') {
    const why = error === undefined ? '' : `: ${error.code}: ${error.message}`
    throw new CliError(`${runId} is ${status}${why}`, exitCodes.refused)
  }
  if (status === 'paused') note(`${runId} is paused. Go on with: runs resume ${runId}`)
  else if (status.startsWith('waiting-')) note(`${runId} is ${status}. ${howToAnswer(runId, interrupt?.nodeId)}`)
  else if (isEmbedded)
    note(`${runId} is ${status}. It goes on when a server runs on this data, or with: runs show ${runId} --wait`)
}

function howToAnswer(runId: string, nodeId: string | undefined): string {
  return nodeId === undefined ? `See: runs show ${runId}` : `Answer with: runs answer ${runId} ${nodeId} <json>`
}

function note(text: string): void {
  process.stderr.write(`colophon: ${harmless(text)}\n`)
}
