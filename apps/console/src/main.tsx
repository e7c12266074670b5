import './early.ts'
import './theme/font.css'
import './theme/tokens.css'
import './theme/base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './data/queries.ts'
import { sessionQuery } from './data/session.ts'
import { router } from './router.tsx'
import { restoreZone } from './parts/zone.ts'
import { restoreTheme } from './shell/theme.ts'
import { paintStates } from './theme/paintStates.ts'

restoreTheme()
restoreZone()
paintStates(document.documentElement)
const draw = (): void =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
// In parallel, and rendered once when both are loaded: React is slower when it renders in parts.
void Promise.allSettled([router.load(), queries.prefetchQuery(sessionQuery)]).then(draw)
