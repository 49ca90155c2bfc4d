import { trustClasses } from '../../../../src/core/entries/trust.ts'
import { categories } from '../../../../src/core/provenance/category.ts'
import { useAddress } from '../../app/use-address.ts'
import { ApplyingField } from '../../ui/applying-field.tsx'
import { SelectField } from '../../ui/field.tsx'

/** The filters of the feed, by their name in the URL. */
const filters = {
  q: 'has',
  tag: 'tag',
  writer: 'writer',
  category: 'category',
  status: 'status',
  trust: 'trust',
  relevance: 'relevance',
} as const

const choices = { category: categories, status: ['active', 'superseded', 'any'], trust: trustClasses } as const

/** Filters that combine. Each one that is set is a chip that removes it. */
export function FeedFilters() {
  const [search, change] = useAddress()
  const set = Object.keys(filters).filter((name) => search[name] !== undefined)
  return (
    <div className="border-line border-b p-2">
      <div className="grid grid-cols-2 items-end gap-2 sm:grid-cols-3 xl:grid-cols-6">
        <ApplyingField label="Search" type="search" value={search.q} onApply={(q) => change({ q })} />
        <ApplyingField label="Tag" value={search.tag} onApply={(tag) => change({ tag })} />
        <ApplyingField label="Writer" value={search.writer} onApply={(writer) => change({ writer })} />
        {Object.entries(choices).map(([name, values]) => (
          <SelectField
            key={name}
            label={name}
            hideLabel
            value={search[name] ?? ''}
            onChange={(event) => change({ [name]: event.target.value || undefined })}
          >
            <option value="">{name === 'status' ? 'current' : `every ${name}`}</option>
            {values.map((value) => (
              <option key={value}>{value}</option>
            ))}
          </SelectField>
        ))}
      </div>
      {set.length > 0 && (
        <ul aria-label="Filters" className="mt-2 flex flex-wrap gap-1.5">
          {set.map((name) => (
            <li key={name} className="max-w-full">
              <button
                type="button"
                aria-label={`Remove the filter ${name} ${search[name]}`}
                className="max-w-full cursor-pointer truncate rounded-full border border-accent px-2 text-accent text-xs leading-5 hover:bg-sunken"
                onClick={() => change({ [name]: undefined })}
              >
                {filters[name as keyof typeof filters]}: {search[name]} ×
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
