import { describeDamage } from './describeDamage.ts'

describeDamage('missing')
