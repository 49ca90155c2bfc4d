import { useQuery } from '@tanstack/react-query'
import { api } from '../../app/api.ts'

/** The largest page of a list. Of a longer ref, the newest entries are counted. */
const countedMax = 500

type NotVisibleProps = {
  readonly runId: string
  readonly memoryRef: string
  /** The reader that the run reads for, if it has one. */
  readonly reader: string | undefined
}

/**
 * What a ref has that the run cannot see, as counts: what was written after its snapshot, and what its trust floor or its reader hides. Only
 * entries that this key can see are counted.
 */
export function NotVisible({ runId, memoryRef, reader }: NotVisibleProps) {
  const counts = useQuery({
    queryKey: ['live', 'not-visible', memoryRef, runId, reader],
    queryFn: async ({ signal }) => {
      const idsOf = async (query: Parameters<typeof api.memory.list>[1]) => {
        const { entries, cursor } = await api.memory.list(memoryRef, { ...query, limit: countedMax }, { signal })
        return { ids: entries.map(({ id }) => id), isWhole: cursor === undefined }
      }
      const [seen, snapshot, now] = await Promise.all([
        idsOf({ runId, reader }),
        idsOf({ runId, trustMin: 'untrusted' }),
        idsOf({ trustMin: 'untrusted' }),
      ])
      return {
        written: countWithout(now.ids, snapshot.ids),
        hidden: countWithout(snapshot.ids, seen.ids),
        isWhole: seen.isWhole && snapshot.isWhole && now.isWhole,
      }
    },
  })
  // Without it, for example after the snapshot has expired, the reads above still say what the run saw.
  if (!counts.isSuccess) return null
  const { written, hidden, isWhole } = counts.data
  const parts = [
    ...(written > 0 ? [`${entries(written)} written after its snapshot`] : []),
    ...(hidden > 0 ? [`${entries(hidden)} below its trust floor or for other readers`] : []),
  ]
  return (
    <p className="mt-1 text-muted text-xs">
      {parts.length === 0
        ? 'Nothing that is in this ref now was hidden from the run.'
        : `Not visible to this run: ${parts.join(', ')}.`}
      {!isWhole && ` Only the newest ${countedMax} entries were counted.`}
    </p>
  )
}

function countWithout(ids: readonly string[], others: readonly string[]): number {
  const known = new Set(others)
  return ids.filter((id) => !known.has(id)).length
}

function entries(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`
}
