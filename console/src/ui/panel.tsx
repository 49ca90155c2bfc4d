import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

type PanelProps = {
  readonly title?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
  readonly className?: string
}

/** A box with a heading. */
export function Panel({ title, actions, children, className }: PanelProps) {
  return (
    <section className={classNames('min-w-0 rounded-lg border border-line bg-raised', className)}>
      {(title !== undefined || actions !== undefined) && (
        <header className="flex flex-wrap items-center justify-between gap-2 border-line border-b px-4 py-2.5">
          <h2 className="font-serif text-base">{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  )
}

/** The head of a screen. */
export function ScreenTitle({ title, actions, children }: PanelProps & { readonly title: string }) {
  return (
    <div className="mb-4 flex flex-wrap items-end justify-between gap-3">
      <div>
        <h1 className="font-serif text-2xl">{title}</h1>
        <div className="text-muted">{children}</div>
      </div>
      {actions}
    </div>
  )
}
