"""The bytes of files: packed ones are unpacked here, on several threads; nothing here knows chess."""
