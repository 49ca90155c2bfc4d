import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import type { ForgetCounts } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'

type ForgetMentionsProps = {
  readonly mentions: NonNullable<ForgetCounts['mentions']>
  readonly isChecked: boolean
  readonly onChange: (isChecked: boolean) => void
}

/** Texts are read a few at a time. */
const pageSize = 10

/** The texts of other entries that name the subject. They are kept, unless the user checks the box. */
export function ForgetMentions({ mentions, isChecked, onChange }: ForgetMentionsProps) {
  const [shown, setShown] = useState(pageSize)
  const listed = mentions.entries.slice(0, shown)
  const texts = useQueries({
    queries: listed.map(({ memoryRef, id }) => ({
      queryKey: ['mention', memoryRef, id],
      queryFn: ({ signal }: { signal: AbortSignal }) => api.memory.get(memoryRef, id, {}, { signal }),
    })),
  })
  const more = mentions.count - listed.length
  return (
    <section aria-label="Other texts that mention it" className="space-y-1 text-sm">
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={isChecked} onChange={(event) => onChange(event.target.checked)} />
        {mentions.count === 1
          ? 'Also erase the 1 other memory whose text has this name'
          : `Also erase the ${mentions.count} other memories whose text has this name`}
      </label>
      <ul className="max-h-48 space-y-1 overflow-auto rounded-md bg-sunken p-2">
        {listed.map(({ memoryRef, id }, at) => (
          <li key={id}>
            <span className="line-clamp-2 break-words">
              {texts[at]?.data?.content ?? (texts[at]?.isError ? 'An earlier version names it.' : '…')}
            </span>
            <span className="text-muted text-xs break-all">{memoryRef}</span>
          </li>
        ))}
      </ul>
      {more > 0 && shown < mentions.entries.length && (
        <Button small kind="quiet" onClick={() => setShown(shown + pageSize)}>
          Show more of the other {more}
        </Button>
      )}
      {more > 0 && shown >= mentions.entries.length && <p className="text-muted">… and {more} more</p>}
    </section>
  )
}
