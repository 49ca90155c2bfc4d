import type { ReactNode } from 'react'
import { isClientError } from '../../../src/client/index.ts'
import { Button } from './button.tsx'

/** Shown instead of an empty list: a title, and how to add something. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="px-6 py-12 text-center">
      <p className="font-serif text-lg">{title}</p>
      {children !== undefined && <div className="mx-auto mt-1 max-w-prose text-muted">{children}</div>}
    </div>
  )
}

export function Loading({ label = 'Loading' }: { readonly label?: string }) {
  return (
    <div role="status" className="flex items-center gap-2 px-6 py-8 text-muted">
      <span aria-hidden="true" className="size-3 animate-pulse rounded-full bg-accent" />
      {label} …
    </div>
  )
}

/** An error: its code, the message of the server, what to do, and a button to retry where that can help. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const code = isClientError(error) ? error.code : 'unexpected'
  const message = error instanceof Error ? error.message : String(error)
  const hint = isClientError(error) ? error.hint : ''
  const isRefused = isClientError(error) && error.status === 403
  return (
    <div role="alert" className="m-4 rounded-md border border-bad bg-raised p-4">
      <p className="font-medium text-bad">
        <code className="font-mono text-xs">{code}</code>
      </p>
      <p className="mt-1 break-words">{message}</p>
      {hint !== '' && hint !== message && <p className="mt-1 text-muted break-words">{hint}</p>}
      {onRetry !== undefined && !isRefused && (
        <Button small className="mt-3" onClick={onRetry}>
          Retry
        </Button>
      )}
    </div>
  )
}
