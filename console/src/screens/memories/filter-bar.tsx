import { categories } from '../../../../src/core/provenance/category.ts'
import { useAddress } from '../../app/use-address.ts'
import { ApplyingField } from '../../ui/applying-field.tsx'
import { SelectField } from '../../ui/field.tsx'

/** The filters of the entry list. They are kept in the URL. */
export function FilterBar() {
  const [search, change] = useAddress()
  const isSubject = search.ref?.startsWith('subject:') === true
  return (
    <div className="flex flex-wrap items-end gap-2 border-line border-b p-2">
      <ApplyingField label="Search" type="search" value={search.q} onApply={(q) => change({ q })} />
      <ApplyingField label="Tag" value={search.tag} onApply={(tag) => change({ tag })} />
      {isSubject && (
        <>
          <SelectField
            label="Category"
            hideLabel
            value={search.category ?? ''}
            onChange={(event) => change({ category: event.target.value || undefined })}
          >
            <option value="">every category</option>
            {categories.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </SelectField>
          <SelectField
            label="Status"
            hideLabel
            value={search.status ?? ''}
            onChange={(event) => change({ status: event.target.value || undefined })}
          >
            <option value="">current</option>
            <option value="all">current and superseded</option>
          </SelectField>
        </>
      )}
    </div>
  )
}
