import type { ForgetCounts } from '../../../../src/client/index.ts'
import { Identifier } from '../../ui/identifier.tsx'

type ForgetMentionsProps = {
  readonly mentions: NonNullable<ForgetCounts['mentions']>
  readonly isChecked: boolean
  readonly onChange: (isChecked: boolean) => void
}

/** Other entries that name the subject. They are kept, unless the user checks the box. */
export function ForgetMentions({ mentions, isChecked, onChange }: ForgetMentionsProps) {
  const more = mentions.count - mentions.entries.length
  return (
    <section aria-label="Other entries that name it" className="space-y-1 text-sm">
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={isChecked} onChange={(event) => onChange(event.target.checked)} />
        Also erase the {mentions.count} other entries whose text has this name
      </label>
      <ul className="max-h-40 overflow-auto">
        {mentions.entries.map(({ memoryRef, id }) => (
          <li key={id}>
            {memoryRef} <Identifier value={id} />
          </li>
        ))}
      </ul>
      {more > 0 && <p className="text-muted">… and {more} more</p>}
    </section>
  )
}
