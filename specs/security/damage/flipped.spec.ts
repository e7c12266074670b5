import { describeDamage } from './describeDamage.ts'

describeDamage('flipped')
