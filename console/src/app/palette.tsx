import { useState } from 'react'
import { classNames } from '../ui/class-names.ts'
import { Dialog } from '../ui/dialog.tsx'
import { type PaletteCommand, useCommands } from './palette-commands.ts'

/** The command palette: whatever the tenant has for a text, the screens, and commands of the console. */
export function Palette({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const { commands, isSearching } = useCommands(open ? text : '')
  const close = () => {
    setText('')
    setChosen(0)
    onClose()
  }
  const run = (command: PaletteCommand | undefined) => {
    if (command === undefined) return
    close()
    command.run()
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'ArrowDown') setChosen((at) => Math.min(at + 1, commands.length - 1))
    else if (event.key === 'ArrowUp') setChosen((at) => Math.max(at - 1, 0))
    else if (event.key === 'Enter') run(commands[chosen])
    else return
    event.preventDefault()
  }
  return (
    <Dialog open={open} onClose={close} title="Find or go to …">
      <input
        autoFocus
        role="combobox"
        aria-label="Screen, id or text to find"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${chosen}`}
        placeholder="A memory, a person, an event, a claim, a run, the beginning of an id, a screen"
        className="w-full rounded-md border border-line bg-raised px-3 py-2"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div
        id="palette-list"
        role="listbox"
        aria-label="Commands"
        aria-busy={isSearching}
        className="mt-3 max-h-[60vh] overflow-y-auto"
      >
        {commands.map((command, index) => (
          <button
            type="button"
            key={command.id}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            onClick={() => run(command)}
            className={classNames(
              'flex w-full cursor-pointer justify-between gap-4 rounded-md px-3 py-1.5 text-left',
              index === chosen && 'bg-sunken',
            )}
          >
            <span className="truncate">{command.name}</span>
            <span className="max-w-[45%] shrink-0 truncate text-muted">{command.about}</span>
          </button>
        ))}
      </div>
    </Dialog>
  )
}
