/**
 * A dry run of a pass reads what the pass would read, decides what it would decide, and stores nothing. Its result has the same counts as the pass
 * itself, and one sentence.
 */
export type DryRun<Counts> = Counts & { readonly dryRun: true; readonly summary: string }

/** Whether the payload of a job asks for a dry run. */
export function isDryRun(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && (payload as { dryRun?: unknown }).dryRun === true
}

/** The result of a dry run: the counts of the pass, and what it would do in words. */
export function toDryRun<Counts extends object>(counts: Counts, describe: (counts: Counts) => string): DryRun<Counts> {
  return { ...counts, dryRun: true, summary: describe(counts) }
}

export function describeCompaction({ sources, compactions }: { sources: number; compactions: number }): string {
  if (compactions === 0) return 'would compact nothing'
  return `would compact ${count(sources, 'entry', 'entries')} into ${number(compactions)}`
}

type Consolidated = { refs: number; inputCount: number; outputCount: number; tooLarge: number; questions: number }

export function describeConsolidation(counts: Consolidated): string {
  const { refs, inputCount, outputCount, tooLarge, questions } = counts
  const merged =
    inputCount === outputCount
      ? 'would merge nothing'
      : `would merge ${number(inputCount)} entries into ${number(outputCount)}, in ${count(refs, 'ref')}`
  return sentence([
    merged,
    questions > 0 && `would ask a model about ${count(questions, 'pair')}`,
    tooLarge > 0 && `${count(tooLarge, 'ref')} too large to compare`,
  ])
}

export function describePruning(counts: { versions: number; runs: number; jobs: number }): string {
  const { versions, runs, jobs } = counts
  if (versions + runs + jobs === 0) return 'would delete nothing'
  const what = [count(versions, 'ended version'), count(runs, 'run'), count(jobs, 'job')]
  return `would delete ${what.join(', ')}`
}

export function describeExpiry({ expired, isAtLeast }: { expired: number; isAtLeast: boolean }): string {
  if (expired === 0) return 'would end nothing'
  return `would end ${isAtLeast ? 'at least ' : ''}${count(expired, 'expired entry', 'expired entries')}`
}

export function describePayloads({ redacted, waiting }: { redacted: number; waiting: number }): string {
  const deleted =
    redacted === 0 ? 'would delete no messages' : `would delete the messages of ${count(redacted, 'source event')}`
  return sentence([deleted, waiting > 0 && `${count(waiting, 'source event')} not processed yet`])
}

/** What a redaction pass counts. */
export type RedactionCounts = {
  readonly scanned: number
  readonly changed: number
  readonly jobsChanged: number
  readonly recordsChanged: number
  readonly runsChanged: number
  readonly sourcesChanged: number
}

export function describeRedaction(counts: RedactionCounts): string {
  const { scanned, changed, jobsChanged, recordsChanged, runsChanged, sourcesChanged } = counts
  const others = [
    jobsChanged > 0 && count(jobsChanged, 'job'),
    recordsChanged > 0 && count(recordsChanged, 'record'),
    runsChanged > 0 && count(runsChanged, 'run'),
    sourcesChanged > 0 && count(sourcesChanged, 'source event'),
  ].filter((part) => part !== false)
  return [`would redact ${number(changed)} of ${count(scanned, 'text')}`, ...others].join(', ')
}

export function describeEmbedding({ waiting }: { waiting: number }): string {
  return waiting === 0 ? 'would embed nothing' : `would embed ${count(waiting, 'text')}`
}

/** The first part says what would happen; the others follow after a semicolon. */
function sentence(parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false).join('; ')
}

function count(amount: number, one: string, many = `${one}s`): string {
  return `${number(amount)} ${amount === 1 ? one : many}`
}

const number = (amount: number): string => amount.toLocaleString('en')
