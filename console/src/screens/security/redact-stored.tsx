import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/states.tsx'

type Report = {
  readonly hits: readonly { readonly rule: string; readonly count: number; readonly memories: number }[]
}

/** Where a new secret is stored already, and a button that redacts it there: a secret is redacted by itself only in what is written later. */
export function RedactStored({ secret }: { readonly secret: string }) {
  const queries = useQueryClient()
  const found = useQuery({
    queryKey: ['redaction', secret],
    queryFn: () => redact(true),
    gcTime: 0,
    staleTime: Infinity,
  })
  const redaction = useMutation({
    mutationFn: () => redact(false),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  const error = found.error ?? redaction.error
  if (error !== null) return <Failure error={error} />
  const places = placesOf(redaction.data ?? found.data, secret)
  return (
    <p
      role="status"
      aria-label="Stored texts"
      className="mb-4 flex flex-wrap items-center gap-3 rounded-md border border-warn bg-raised px-4 py-2"
    >
      {found.isPending && `Looking for “${secret}” in what is stored …`}
      {places === '' && `“${secret}” was not found in what is stored.`}
      {places !== undefined && places !== '' && redaction.isSuccess && `“${secret}” was redacted in ${places}.`}
      {places !== undefined && places !== '' && !redaction.isSuccess && (
        <>
          <span>
            “{secret}” was found in {places}: redact it now?
          </span>
          <Button small kind="primary" disabled={redaction.isPending} onClick={() => redaction.mutate()}>
            {redaction.isPending ? 'Redacting …' : 'Redact now'}
          </Button>
        </>
      )}
    </p>
  )
}

/** One pass with the current secrets and rules over everything that is stored; a dry run only counts. */
async function redact(dryRun: boolean): Promise<Report> {
  const { jobId } = await api.rules.apply({ dryRun })
  const job = await api.jobs.wait(jobId)
  if (job.status !== 'completed') throw new Error(`The redaction is ${job.status}: ${job.error?.message ?? ''}`)
  return job.result as Report
}

/** In words; empty when the secret is stored nowhere. */
function placesOf(report: Report | undefined, secret: string): string | undefined {
  if (report === undefined) return undefined
  const { memories = 0, count = 0 } = report.hits.find(({ rule }) => rule === secret) ?? {}
  if (count === 0) return ''
  if (memories === 0) return 'stored texts, but in no memory'
  return memories === 1 ? '1 memory' : `${memories.toLocaleString()} memories`
}
