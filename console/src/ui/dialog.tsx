import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'

type DialogProps = {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  readonly description?: string
  readonly children: ReactNode
  /** Show it as a drawer at the side instead of a dialog in the middle. */
  readonly side?: boolean
  /** Only a button of its content closes it: not Escape, nor a click outside. */
  readonly isLocked?: boolean
}

export function Dialog({ open, onClose, title, description, children, side = false, isLocked = false }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && !isLocked && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Radix.Content
          className={classNames(
            'fixed z-50 flex flex-col border-line bg-paper shadow-xl',
            side
              ? 'inset-y-0 right-0 w-full border-l sm:max-w-2xl'
              : 'top-1/2 left-1/2 max-h-[90vh] w-[calc(100%-2rem)] max-w-lg -translate-x-1/2 -translate-y-1/2 rounded-lg border',
          )}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
        >
          <div className="flex items-start justify-between gap-3 border-line border-b px-5 py-3">
            <div className="min-w-0">
              <Radix.Title className="truncate font-serif text-lg">{title}</Radix.Title>
              {description !== undefined && <Radix.Description className="text-muted">{description}</Radix.Description>}
            </div>
            {!isLocked && (
              <Radix.Close asChild>
                <Button kind="quiet" small aria-label="Close">
                  ×
                </Button>
              </Radix.Close>
            )}
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto p-5">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
