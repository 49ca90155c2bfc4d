import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { useShowActive } from './use-show-active.ts'

export type Tab = { readonly id: string; readonly name: string; readonly content: ReactNode }

type TabsProps = {
  readonly tabs: readonly Tab[]
  readonly value: string
  readonly onChange: (id: string) => void
  /** The name of the row, if there are two of them. */
  readonly label?: string
  /** Tabs inside a tab look lighter than those around them. */
  readonly isInner?: boolean
}

/** Tabs. The caller keeps the open tab in the URL, so that it can be linked. On a narrow screen the row scrolls to the open one. */
export function Tabs({ tabs, value, onChange, label, isInner = false }: TabsProps) {
  // An address of an earlier version, or a mistyped one, shows the first tab instead of nothing.
  const open = tabs.some(({ id }) => id === value) ? value : tabs[0]?.id
  const list = useShowActive<HTMLDivElement>('[data-state="active"]', open ?? value)
  return (
    <Radix.Root value={open} onValueChange={onChange}>
      <Radix.List
        ref={list}
        aria-label={label}
        className={classNames(
          'edge-fade mb-4 flex gap-1 overflow-x-auto md:flex-wrap',
          !isInner && 'border-line border-b',
        )}
      >
        {tabs.map(({ id, name }) => (
          <Radix.Trigger key={id} value={id} className={isInner ? innerStyle : style}>
            {name}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ id, content }) => (
        <Radix.Content key={id} value={id}>
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}

const style =
  'cursor-pointer border-transparent border-b-2 px-3 py-1.5 whitespace-nowrap text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink'
const innerStyle =
  'cursor-pointer rounded-full px-3 py-1 whitespace-nowrap text-muted hover:text-ink data-[state=active]:bg-sunken data-[state=active]:text-ink'
