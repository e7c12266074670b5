import './theme/font.css'
import './theme/tokens.css'
import './theme/base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './data/queries.ts'
import { router } from './router.tsx'
import { restoreTheme } from './shell/theme.ts'
import { paintStates } from './theme/paintStates.ts'

restoreTheme()
paintStates(document.documentElement)
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
