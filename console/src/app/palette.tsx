import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { classNames } from '../ui/class-names.ts'
import { Dialog } from '../ui/dialog.tsx'
import { screens } from './screens.ts'
import { logOut } from './session.ts'
import { toggleTheme } from './theme.ts'

type Command = { readonly name: string; readonly about: string; readonly run: () => void }

/** The command palette: screens, ids of any kind, a search, and commands of the console. */
export function Palette({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const commands = useCommands(text)
  const close = () => {
    setText('')
    setChosen(0)
    onClose()
  }
  const run = (command: Command | undefined) => {
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
    <Dialog open={open} onClose={close} title="Go to …">
      <input
        autoFocus
        role="combobox"
        aria-label="Screen, id or text to find"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${chosen}`}
        placeholder="A screen, an id (mem_…, run_…, job_…), or a text to find"
        className="w-full rounded-md border border-line bg-raised px-3 py-2"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-list" role="listbox" aria-label="Commands" className="mt-3">
        {commands.map((command, index) => (
          <button
            type="button"
            key={command.name}
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
            <span className="truncate text-muted">{command.about}</span>
          </button>
        ))}
      </div>
    </Dialog>
  )
}

function useCommands(text: string): readonly Command[] {
  const navigate = useNavigate()
  return useMemo(() => {
    const wanted = text.trim()
    const fixed: Command[] = [
      ...screens.map(({ path, name, about }) => ({ name, about, run: () => void navigate({ to: path }) })),
      { name: 'Change theme', about: 'light or dark', run: toggleTheme },
      { name: 'Log out', about: 'remove the key from this tab', run: () => logOut() },
    ]
    const matching = fixed.filter(({ name, about }) => `${name} ${about}`.toLowerCase().includes(wanted.toLowerCase()))
    if (wanted === '') return matching
    const found: Command[] = []
    if (wanted.startsWith('run_')) {
      const params = { runId: wanted }
      found.push({ name: wanted, about: 'open this run', run: () => void navigate({ to: '/runs/$runId', params }) })
    } else if (wanted.startsWith('mem_')) {
      const search = { entry: wanted }
      found.push({ name: wanted, about: 'open this memory', run: () => void navigate({ to: '/memories', search }) })
    } else if (wanted.startsWith('job_')) {
      const search = { tab: 'jobs', job: wanted }
      found.push({ name: wanted, about: 'open this job', run: () => void navigate({ to: '/time', search }) })
    }
    const search = { q: wanted }
    found.push({
      name: `Find “${wanted}”`,
      about: 'in memories',
      run: () => void navigate({ to: '/memories', search }),
    })
    return [...matching, ...found]
  }, [text, navigate])
}
