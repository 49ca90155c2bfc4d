import type { Client, RunSnapshot } from '../client/index.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { escapeForTerminal } from './output.ts'

export const waitOption = ['--wait', 'wait until the run ends, is paused or waits for an interrupt'] as const

/** Waits until the run has ended, is paused, or waits for an interrupt. */
export function waitForRun(client: Client, runId: string): Promise<RunSnapshot> {
  return client.runs.wait(runId, { until: 'idle' })
}

/** Notes how to continue a run that did not complete. On standard error, so that scripts read only the id. */
export function noteUnfinishedRun(run: Pick<RunSnapshot, 'runId' | 'status'>, isEmbedded: boolean): void {
  const { runId, status } = run
  const { error, interrupt, currentNodeId }: Partial<RunSnapshot> = run
  if (status === 'completed') return
  if (status === 'failed' || status === 'cancelled') {
    const why = error === undefined ? '' : `: ${error.code}: ${error.message}`
    throw new CliError(`${runId} is ${status}${why}`, exitCodes.refused)
  }
  if (status === 'paused') note(`${runId} is paused. To resume it: colophon runs resume ${runId}`)
  else if (status.startsWith('waiting-'))
    note(`${runId} is ${status}. ${howToAnswer(runId, interrupt?.nodeId ?? currentNodeId)}`)
  else if (isEmbedded)
    note(
      `${runId} is ${status}. It continues when a server runs on this data, or with: colophon runs show ${runId} --wait`,
    )
}

function howToAnswer(runId: string, nodeId: string | undefined): string {
  return nodeId === undefined
    ? `See: colophon runs show ${runId}`
    : `To answer: colophon runs answer ${runId} ${nodeId} <json>`
}

function note(text: string): void {
  process.stderr.write(`colophon: ${escapeForTerminal(text)}\n`)
}
