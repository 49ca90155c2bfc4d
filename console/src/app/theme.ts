import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark'

const storageKey = 'colophon.theme'
const listeners = new Set<() => void>()

function preferred(): Theme {
  const stored = localStorage.getItem(storageKey)
  if (stored === 'light' || stored === 'dark') return stored
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

export function applyTheme(theme: Theme = preferred()): void {
  document.documentElement.dataset.theme = theme
  for (const listener of listeners) listener()
}

export function toggleTheme(): void {
  const next: Theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'
  localStorage.setItem(storageKey, next)
  applyTheme(next)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, () => (document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light'))
}
