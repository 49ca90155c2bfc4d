import type { Caller } from './caller.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { harmless } from './output.ts'
import { createProgress, type Progress } from './progress.ts'

/** Any job of the tenant, as the host shows it. */
export type Job = {
  id: string
  kind: string
  status: string
  attempts: number
  result: unknown
  progress?: unknown
  error: { code: string; message: string } | null
  createdAt: string
  startedAt?: string
  endedAt?: string
  runId?: string
}

/** The job that makes memories of what was told, as those see it who may only read memories. */
export type IngestJob = {
  job_id: string
  status: 'queued' | 'processing' | 'completed' | 'failed' | 'dead'
  attempts: number
  memories_created: number
  memories_superseded: number
  memories_rejected: number
  error?: { code: string; message: string }
}

export const waitOption = ['--wait', 'wait until the job has ended'] as const

const lookMsMin = 25
const lookMsMax = 1_000

/** What is shown of a job while it is waited for; without anything better, the numbers that it notes itself. */
type Shown = (job: Job, progress: Progress) => void

export async function waitForJob(caller: Caller, id: string, show: Shown = showNumbers): Promise<Job> {
  const progress = createProgress(id)
  const look = async () => {
    const job = (await caller.call('GET', `/v1/host/colophon/jobs/${encodeURIComponent(id)}`)) as Job
    show(job, progress)
    return job
  }
  try {
    return await lookUntil(look, ({ status }) => status !== 'queued' && status !== 'leased')
  } finally {
    progress.end()
  }
}

function showNumbers(job: Job, progress: Progress): void {
  progress.going([job.status, ...numbersOf(job).map(([name, value]) => `${name} ${value}`)].join(', '))
}

export function numbersOf({ progress, result }: Job): [name: string, value: number][] {
  const noted = Object.entries(result ?? progress ?? {})
  return noted.filter((pair): pair is [string, number] => typeof pair[1] === 'number')
}

/** A failed attempt is tried again, so it is not the end. */
export async function waitForIngest(caller: Caller, id: string): Promise<IngestJob> {
  const look = () => caller.call('GET', `/v1/memories/jobs/${encodeURIComponent(id)}`) as Promise<IngestJob>
  return lookUntil(look, ({ status }) => status === 'completed' || status === 'dead')
}

/** Looks less and less often. On the data folder itself, the worker in this process goes on between two looks. */
async function lookUntil<T>(look: () => Promise<T>, isOver: (seen: T) => boolean): Promise<T> {
  for (let pauseMs = lookMsMin; ; pauseMs = Math.min(pauseMs * 2, lookMsMax)) {
    const seen = await look()
    if (isOver(seen)) return seen
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

export function failUnlessCompleted(
  id: string,
  status: string,
  error?: { code: string; message: string } | null,
): void {
  if (status === 'completed') return
  const why = error ? `: ${error.code}: ${error.message}` : ''
  throw new CliError(`${id} is ${status}${why}`, exitCodes.refused)
}

/** Without a server nobody goes on with the job. On the other stream, so that scripts read the id only. */
export function tellWhoGoesOn(id: string, isEmbedded: boolean): void {
  if (!isEmbedded) return
  const text = `${id} is stored. If it is not done yet, it goes on when a server runs on this data, or with: jobs show ${id} --wait`
  process.stderr.write(`colophon: ${harmless(text)}\n`)
}
