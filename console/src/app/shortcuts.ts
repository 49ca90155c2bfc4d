import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { allScreens } from './screens.ts'

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

/** `g` and a letter open a screen, `/` focuses the search of the screen, Ctrl K opens the palette, `?` lists the keys. */
export function useShortcuts(openPalette: () => void, openHelp: () => void): void {
  const navigate = useNavigate()
  useEffect(() => {
    let awaitsScreen = false
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        openPalette()
        return
      }
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === '?') openHelp()
      if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('main input[type="search"]')
        if (search !== null) {
          event.preventDefault()
          search.focus()
        }
        return
      }
      const screen = awaitsScreen ? allScreens.find(({ key }) => key === event.key) : undefined
      awaitsScreen = event.key === 'g'
      if (screen !== undefined) void navigate({ to: screen.path })
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate, openPalette, openHelp])
}
