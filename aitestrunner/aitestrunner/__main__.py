"""`python -m aitestrunner` is `aitest`."""

import sys

from aitestrunner._cli import main

sys.exit(main())
