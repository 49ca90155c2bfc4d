import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import type { TenantSearchAnswer } from '../../../src/client/index.ts'
import { api } from './api.ts'
import { allScreens } from './screens.ts'
import { logOut } from './session.ts'
import { toggleTheme } from './theme.ts'

/** One line of the palette: what it is, and what Enter does. */
export type PaletteCommand = {
  readonly id: string
  readonly name: string
  readonly about: string
  readonly run: () => void
}

type Go = (to: string, search?: Readonly<Record<string, string>>) => void

/** A search begins when a person pauses: not each key is one. */
const pauseMs = 120

/** Screens and commands that match, then what the tenant has for the text. */
export function useCommands(text: string): {
  readonly commands: readonly PaletteCommand[]
  readonly isSearching: boolean
} {
  const navigate = useNavigate()
  const wanted = useAfterPause(text.trim())
  const found = useQuery({
    queryKey: ['palette', wanted],
    queryFn: ({ signal }) => api.memory.searchAll(wanted, { limit: 8, trustMin: 'untrusted' }, { signal }),
    enabled: wanted.length >= 2,
    placeholderData: (before) => before,
  })
  const commands = useMemo(() => {
    const go: Go = (to, search = {}) => void navigate({ to, search } as never)
    const typed = text.trim()
    const matching = fixedCommands(go).filter(({ name, about }) =>
      `${name} ${about}`.toLowerCase().includes(typed.toLowerCase()),
    )
    if (typed === '') return matching
    const things = typed.length < 2 || found.data === undefined ? [] : foundCommands(found.data, go)
    return [...matching, ...jobCommand(typed, go), ...things, ...actions(typed, go)]
  }, [text, found.data, navigate])
  return { commands, isSearching: found.isFetching || wanted !== text.trim() }
}

function useAfterPause(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

function fixedCommands(go: Go): readonly PaletteCommand[] {
  return [
    ...allScreens.map(({ path, name, about }) => ({ id: path, name, about, run: () => go(path) })),
    { id: 'compare', name: 'Compare two moments', about: 'what changed since', run: () => go('/compare') },
    { id: 'theme', name: 'Change theme', about: 'light or dark', run: toggleTheme },
    { id: 'log-out', name: 'Log out', about: 'end the session in this browser', run: () => void logOut() },
  ]
}

function jobCommand(typed: string, go: Go): readonly PaletteCommand[] {
  if (!typed.startsWith('job_')) return []
  return [{ id: 'job', name: typed, about: 'open this job', run: () => go('/operations', { tab: 'jobs', job: typed }) }]
}

function foundCommands(found: TenantSearchAnswer, go: Go): readonly PaletteCommand[] {
  const { memories = [], refs = [], claims = [], sources = [], runs = [] } = found
  return [
    ...refs.map(({ memoryRef, entries }) => ({
      id: memoryRef,
      name: memoryRef.replace(/^subject:/, ''),
      about: `${memoryRef.startsWith('subject:') ? 'subject' : 'ref'}, ${entries} ${entries === 1 ? 'entry' : 'entries'}`,
      run: () =>
        memoryRef.startsWith('subject:')
          ? go(`/subjects/${encodeURIComponent(memoryRef.slice('subject:'.length))}`)
          : go('/memories', { ref: memoryRef }),
    })),
    ...memories.map(({ id, content, memoryRef, status }) => ({
      id,
      name: content,
      about: `memory${status === 'active' ? '' : `, ${status}`} · ${memoryRef.replace(/^subject:/, '')}`,
      run: () => go(`/memories/${encodeURIComponent(id)}`),
    })),
    ...claims.map(({ id, subject, claimKey, category, status }) => ({
      id,
      name: `${subject}: ${claimKey ?? category}`,
      about: `claim, ${status}`,
      run: () => go('/claims', { claim: id }),
    })),
    ...sources.map(({ id, service, eventId, subject }) => ({
      id,
      name: `${service ?? 'a key'} ${eventId ?? ''}`,
      about: `source event${subject === null ? '' : ` about ${subject}`}`,
      run: () => go('/sources', { tab: 'events', event: id }),
    })),
    ...runs.map(({ runId, workflowId, status }) => ({
      id: runId,
      name: `${workflowId} · …${runId.slice(-6)}`,
      about: `run, ${status}`,
      run: () => go(`/runs/${encodeURIComponent(runId)}`),
    })),
  ]
}

/** What can be done with the text itself. */
function actions(typed: string, go: Go): readonly PaletteCommand[] {
  return [
    {
      id: 'find',
      name: `Find “${typed}”`,
      about: 'in all memories',
      run: () => go('/memories', { q: typed }),
    },
    {
      id: 'copy',
      name: `Copy “${typed}”`,
      about: 'to the clipboard',
      run: () => void navigator.clipboard.writeText(typed),
    },
  ]
}
