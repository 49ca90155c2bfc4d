import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { allScreens } from './screens.ts'

/** Names the browser tab after the screen. No text of a memory goes into the title, which the browser keeps in its history. */
export function useTitle(): void {
  const path = useLocation({ select: ({ pathname }) => pathname })
  useEffect(() => {
    if (path.startsWith('/subjects/')) {
      document.title = 'Subject · Colophon'
      return
    }
    const screen = allScreens.findLast(
      (item) => path === item.path || (item.path !== '/' && path.startsWith(`${item.path}/`)),
    )
    const isOne = screen !== undefined && path !== screen.path
    document.title =
      screen === undefined
        ? 'Colophon'
        : `${isOne ? screen.name.replace(/ies$/, 'y').replace(/s$/, '') : screen.name} · Colophon`
  }, [path])
}
