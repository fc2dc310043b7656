import sys

from niwaki_host.cli import main

sys.exit(main())
