"""One lock for everything that is imported late.

Two threads that import modules of one package from different ends can each wait for what the other
holds; Python then hands out a module that is only half made. So late imports take turns.
"""

import threading

LOADING = threading.RLock()
