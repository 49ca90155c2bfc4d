import { useCaller } from './caller.ts'

/** Whose memory is shown, and what the key can do. */
export function CallerCard() {
  const { data } = useCaller()
  if (data === undefined) return null
  return (
    <details className="border-line border-t px-4 py-2 text-xs">
      <summary className="cursor-pointer">
        <span className="font-medium break-all">{data.tenant}</span>
        <span className="block truncate text-muted">{data.name ?? 'configured key'}</span>
      </summary>
      <ul aria-label="Scopes of your key" className="mt-1 max-h-40 overflow-y-auto font-mono text-muted">
        {data.scopes.map((scope) => (
          <li key={scope}>{scope}</li>
        ))}
      </ul>
    </details>
  )
}
