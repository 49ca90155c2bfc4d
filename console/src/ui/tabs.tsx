import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { useShowActive } from './use-show-active.ts'

export type Tab = { readonly id: string; readonly name: string; readonly content: ReactNode }

type TabsProps = { readonly tabs: readonly Tab[]; readonly value: string; readonly onChange: (id: string) => void }

/** Tabs. The caller keeps the open tab in the URL, so that it can be linked. On a narrow screen the row scrolls to the open one. */
export function Tabs({ tabs, value, onChange }: TabsProps) {
  const list = useShowActive<HTMLDivElement>('[data-state="active"]', value)
  return (
    <Radix.Root value={value} onValueChange={onChange}>
      <Radix.List ref={list} className="edge-fade mb-4 flex gap-1 overflow-x-auto border-line border-b md:flex-wrap">
        {tabs.map(({ id, name }) => (
          <Radix.Trigger
            key={id}
            value={id}
            className="cursor-pointer border-transparent border-b-2 px-3 py-1.5 whitespace-nowrap text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
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
