import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

export type Tab = { readonly id: string; readonly name: string; readonly content: ReactNode }

type TabsProps = { readonly tabs: readonly Tab[]; readonly value: string; readonly onChange: (id: string) => void }

/** Tabs. The caller keeps the open tab in the URL, so that it can be linked. */
export function Tabs({ tabs, value, onChange }: TabsProps) {
  return (
    <Radix.Root value={value} onValueChange={onChange}>
      <Radix.List className="mb-4 flex gap-1 overflow-x-auto border-line border-b">
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
