import { useState } from 'react'

/** An id. Ids differ at the end, so a long id is shortened in the middle. A click copies the whole id. */
export function Identifier({ value, length = 18 }: { readonly value: string; readonly length?: number }) {
  const [copied, setCopied] = useState(false)
  const shown = value.length <= length ? value : `${value.slice(0, 6)}…${value.slice(-(length - 7))}`
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value)
      setCopied(true)
      setTimeout(() => setCopied(false), 1_200)
    } catch {
      setCopied(false)
    }
  }
  return (
    <button
      type="button"
      onClick={copy}
      title={`${value} (click to copy)`}
      aria-label={shown === value ? `${value}, copy` : `${shown}, copy ${value}`}
      className="cursor-copy rounded font-mono text-xs hover:bg-sunken"
    >
      {copied ? 'copied' : shown}
    </button>
  )
}
