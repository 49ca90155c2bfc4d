import type { IngestJob, Job } from '../../../../src/client/index.ts'

/** What came of a job, in words: what a dry run found, or the state of the job and the counts of its result. */
export function outcomeOf({ status, result, error }: Job): string {
  const { summary } = (result ?? {}) as { readonly summary?: unknown }
  if (typeof summary === 'string') return summary
  if (error !== null && status !== 'completed') return `${status}: ${error.message}`
  const counts = countsOf(result)
  return counts === '' ? status : `${status}: ${counts}`
}

/** The numbers of a result under their names; lists and texts are left out. */
export function countsOf(result: unknown): string {
  if (typeof result !== 'object' || result === null) return ''
  return Object.entries(result)
    .flatMap(([name, value]) => (typeof value === 'number' ? [`${value.toLocaleString('en')} ${inWords(name)}`] : []))
    .join(', ')
}

/** `jobsChanged` is "jobs changed". */
const inWords = (name: string): string => name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** What an ingest job decided about each content, and why it created nothing. Empty for other jobs. */
export function decisionsOf(result: unknown): Pick<IngestJob, 'decided' | 'why'> {
  return (result ?? {}) as Pick<IngestJob, 'decided' | 'why'>
}
