import { useSyncExternalStore } from 'react'

/** The key is kept in session storage only, so it ends with the tab. */
const storageKey = 'colophon.key'
const listeners = new Set<() => void>()
let notice: string | null = null
/** Grows with every log-in: a new number is another session, with nothing of the one before. */
let session = 1

export function currentKey(): string | null {
  return sessionStorage.getItem(storageKey)
}

export function logIn(key: string): void {
  notice = null
  session += 1
  sessionStorage.setItem(storageKey, key)
  notify()
}

/** Continues the session with another key of the same tenant: the key that a rotation made. */
export function adoptKey(key: string): void {
  sessionStorage.setItem(storageKey, key)
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

/** The number of the session; null when no key is logged in. */
export function useSession(): number | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => (currentKey() === null ? null : session),
  )
}

/** Whether this tab is logged in with the key of this id. The text of a key begins with its id. */
export function isOwnKey(keyId: string): boolean {
  return currentKey()?.startsWith(`${keyId.replace('key_', 'ck_')}.`) === true
}
