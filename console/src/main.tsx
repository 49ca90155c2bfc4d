import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './app/api.ts'
import { Login } from './app/login.tsx'
import { adoptStyleNonce } from './app/nonce.ts'
import { router } from './app/router.tsx'
import { checkSession, useSession } from './app/session.ts'
import { applyTheme } from './app/theme.ts'
import './styles.css'

adoptStyleNonce()
applyTheme()
void checkSession()

/** A new session starts with an empty cache, so that no data of one tenant is shown to another. */
function Console() {
  const session = useSession()
  if (session === null || session === undefined) {
    queryClient.clear()
    return session === null ? <Login /> : null
  }
  return <RouterProvider key={session} router={router} />
}

const container = document.getElementById('root')
if (container === null) throw new Error('The page has no element #root.')
createRoot(container).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Console />
    </QueryClientProvider>
  </StrictMode>,
)
