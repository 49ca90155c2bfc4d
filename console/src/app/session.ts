import { useSyncExternalStore } from 'react'

/** The key is kept in session storage only, so it ends with the tab. */
const storageKey = 'colophon.key'
const listeners = new Set<() => void>()
let notice: string | null = null

export function currentKey(): string | null {
  return sessionStorage.getItem(storageKey)
}

export function logIn(key: string): void {
  notice = null
  sessionStorage.setItem(storageKey, key)
  notify()
}

/** Removes the key; `because` is shown above the form. */
export function logOut(because: string | null = null): void {
  notice = because
  sessionStorage.removeItem(storageKey)
  notify()
}

export function logOutNotice(): string | null {
  return notice
}

function notify(): void {
  for (const listener of listeners) listener()
}

export function useKey(): string | null {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, currentKey)
}
