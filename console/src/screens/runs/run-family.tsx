import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { RunSnapshot } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { isEnded } from './status.ts'

/** The run that this one was forked from, with the result of the comparison, and the run that started it. */
export function RunFamily({ run }: { readonly run: RunSnapshot }) {
  return (
    <>
      {run.fork !== undefined && <ForkOf run={run} fork={run.fork} />}
      {run.parentRunId !== undefined && (
        <Link to="/runs/$runId" params={{ runId: run.parentRunId }} className="text-accent underline">
          started by another run
        </Link>
      )}
    </>
  )
}

type ForkOfProps = { readonly run: RunSnapshot; readonly fork: NonNullable<RunSnapshot['fork']> }

function ForkOf({ run, fork }: ForkOfProps) {
  const diff = useQuery({
    queryKey: ['past', 'run-diff', run.runId, fork.sourceRunId],
    enabled: isEnded(run.status),
    queryFn: ({ signal }) => api.runs.diff(run.runId, fork.sourceRunId, { signal }),
  })
  const isReplay = fork.mode === 'replay'
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <Link to="/runs/$runId" params={{ runId: fork.sourceRunId }} className="text-accent underline">
        {isReplay ? 'Replay of' : `Branch at event ${fork.fromSeq} of`} …{fork.sourceRunId.slice(-6)}
      </Link>
      {diff.isSuccess && (
        <Link
          to="/runs/$runId"
          params={{ runId: run.runId }}
          search={{ tab: 'diff', against: fork.sourceRunId }}
          aria-label="Show the comparison"
        >
          <Badge tone={diff.data.divergedAtSeq === null ? 'good' : isReplay ? 'warn' : 'neutral'}>
            {diff.data.divergedAtSeq === null ? 'identical' : `differs from event ${diff.data.divergedAtSeq}`}
          </Badge>
        </Link>
      )}
    </span>
  )
}
