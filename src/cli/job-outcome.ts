import type { Client, Job } from '../client/index.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { escapeForTerminal } from './output.ts'
import { createProgressBar, type ProgressBar } from './progress.ts'

export const waitOption = ['--wait', 'wait until the job has ended'] as const

/** Waits for a job and shows its progress; by default, the numbers that the job reports. */
export async function waitForJob(
  client: Client,
  id: string,
  show: (job: Job, progress: ProgressBar) => void = showNumbers,
): Promise<Job> {
  const progress = createProgressBar(id)
  return client.jobs.wait(id, { onProgress: (job) => show(job, progress) }).finally(progress.end)
}

function showNumbers(job: Job, progress: ProgressBar): void {
  progress.going([job.status, ...numbersOf(job).map(([name, value]) => `${name} ${value}`)].join(', '))
}

export function numbersOf({ progress, result }: Job): [name: string, value: number][] {
  const noted = Object.entries(result ?? progress ?? {})
  return noted.filter((pair): pair is [string, number] => typeof pair[1] === 'number')
}

export function failUnlessCompleted(
  id: string,
  { status, error }: { readonly status: string; readonly error?: Job['error'] | undefined },
): void {
  if (status === 'completed') return
  const why = error ? `: ${error.code}: ${error.message}` : ''
  throw new CliError(`${id} is ${status}${why}`, exitCodes.refused)
}

/** Without a server, no process continues the job. The note goes to standard error, so that scripts read only the id. */
export function notePendingJob(id: string, isEmbedded: boolean): void {
  if (!isEmbedded) return
  const text = `${id} is queued. It continues when a server runs on this data, or with: colophon jobs show ${id} --wait`
  process.stderr.write(`colophon: ${escapeForTerminal(text)}\n`)
}
