import { useQuery } from '@tanstack/react-query'
import { isClientError } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { EntryLink } from './entry-link.tsx'

type SeenEntryProps = {
  readonly id: string
  readonly memoryRef: string
  readonly runId: string
  readonly position: number
}

/** An entry in the words that the run saw, and whether it says something else now. */
export function SeenEntry({ id, memoryRef, runId, position }: SeenEntryProps) {
  const seen = useQuery({
    queryKey: ['past', 'seen', runId, memoryRef, id],
    queryFn: ({ signal }) => nullIfGone(api.memory.get(memoryRef, id, { runId }, { signal })),
  })
  const now = useQuery({
    queryKey: ['live', 'memory', id, undefined],
    queryFn: ({ signal }) => nullIfGone(api.memories.get(id, {}, { signal })),
  })
  return (
    <li className="py-1">
      <p className="line-clamp-3 font-serif break-words">
        {seen.data === null ? 'Its text was erased, or is not visible to this key.' : (seen.data?.content ?? '…')}
      </p>
      <p className="flex flex-wrap items-center gap-2">
        <EntryLink id={id} asOf={position} />
        {now.isSuccess && <SinceThen seen={seen.data?.content} now={now.data} />}
      </p>
    </li>
  )
}

type SinceThenProps = {
  readonly seen: string | undefined
  readonly now: { readonly content: string; readonly status: string } | null
}

function SinceThen({ seen, now }: SinceThenProps) {
  if (now === null) return <Badge tone="warn">deleted since</Badge>
  if (now.status !== 'active') return <Badge tone="warn">{now.status} since</Badge>
  if (seen !== undefined && now.content !== seen) return <Badge tone="warn">changed since</Badge>
  return <Badge tone="good">unchanged</Badge>
}

async function nullIfGone<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (isClientError(error) && error.status === 404) return null
    throw error
  }
}
