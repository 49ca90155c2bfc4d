import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { useShowActive } from '../ui/use-show-active.ts'
import { CallerCard } from './caller-card.tsx'
import { ChainMark } from './chain-mark.tsx'
import { CopyAs } from './copy-as.tsx'
import { KeyHelp } from './key-help.tsx'
import { useConnection, useLiveChanges } from './live.ts'
import { MomentBanner } from './moment-banner.tsx'
import { Palette } from './palette.tsx'
import { isPartOf, screens } from './screens.ts'
import { ServerBanner } from './server-banner.tsx'
import { logOut } from './session.ts'
import { useShortcuts } from './shortcuts.ts'
import { toggleTheme, useTheme } from './theme.ts'
import { useTitle } from './title.ts'

const activeStyle = 'bg-raised font-medium text-accent'

const connectionWords = { connecting: 'connecting', open: 'live', lost: 'reconnecting', refused: 'not live' } as const

/** The navigation and the current screen. On a narrow display, the navigation is a bar at the top. */
export function Shell() {
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const path = useLocation({ select: ({ pathname }) => pathname })
  const nav = useShowActive<HTMLElement>('[aria-current="page"]', path)
  useLiveChanges()
  useTitle()
  const [isHelpOpen, setHelpOpen] = useState(false)
  useShortcuts(
    () => setPaletteOpen(true),
    () => setHelpOpen(true),
  )
  return (
    <div className="flex h-full flex-col md:flex-row">
      <a href="#content" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-raised focus:p-2">
        Skip to content
      </a>
      <header className="flex shrink-0 flex-col border-line border-b bg-sunken md:h-full md:w-52 md:border-r md:border-b-0">
        <div className="flex items-center justify-between px-4 py-3">
          <Link to="/" className="font-serif text-xl">
            Colophon
          </Link>
          <ConnectionMark />
        </div>
        <nav
          ref={nav}
          aria-label="Screens"
          className="edge-fade flex gap-1 overflow-x-auto px-2 pb-2 md:flex-1 md:flex-col"
        >
          {screens.map((screen) => (
            <Link
              key={screen.path}
              to={screen.path}
              activeOptions={{ includeSearch: false }}
              className={classNames(
                'flex items-center justify-between rounded-md px-3 py-1.5 whitespace-nowrap hover:bg-raised',
                isPartOf(screen, path) && activeStyle,
              )}
              activeProps={{ className: activeStyle }}
              {...(isPartOf(screen, path) ? { 'aria-current': 'page' } : {})}
            >
              {screen.name}
              <kbd className="hidden font-mono text-xs text-muted md:inline">g {screen.key}</kbd>
            </Link>
          ))}
        </nav>
        <div className="hidden md:block">
          <ChainMark />
          <CallerCard />
        </div>
        <div className="hidden gap-1 border-line border-t p-2 md:flex md:flex-col">
          <Tools onPalette={() => setPaletteOpen(true)} />
        </div>
      </header>
      <main id="content" tabIndex={-1} className="relative min-h-0 min-w-0 flex-1 overflow-y-auto p-4 md:p-6">
        <ServerBanner />
        <MomentBanner />
        <Outlet />
        <div className="mt-8 flex gap-1 md:hidden">
          <Tools onPalette={() => setPaletteOpen(true)} />
        </div>
      </main>
      <KeyHelp open={isHelpOpen} onClose={() => setHelpOpen(false)} />
      <Palette open={isPaletteOpen} onClose={() => setPaletteOpen(false)} />
    </div>
  )
}

function Tools({ onPalette }: { readonly onPalette: () => void }) {
  const theme = useTheme()
  return (
    <>
      <Button kind="quiet" small onClick={onPalette} className="justify-start">
        Go to … <kbd className="font-mono text-muted md:ml-auto">Ctrl K</kbd>
      </Button>
      <CopyAs />
      <Button kind="quiet" small onClick={toggleTheme} className="justify-start">
        {theme === 'dark' ? 'Light' : 'Dark'} theme
      </Button>
      <Button kind="quiet" small onClick={() => void logOut()} className="justify-start">
        Log out
      </Button>
    </>
  )
}

function ConnectionMark() {
  const connection = useConnection()
  return (
    <span role="status" className="flex items-center gap-1.5 text-xs text-muted" data-connection={connection}>
      <span
        aria-hidden="true"
        className={classNames('size-2 rounded-full', connection === 'open' ? 'bg-good' : 'bg-warn')}
      />
      {connectionWords[connection]}
    </span>
  )
}
